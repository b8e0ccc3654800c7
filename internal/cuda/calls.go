//go:build linux && (amd64 || arm64)

package cuda

// call is a function of the driver library.
type call int

const (
	initialize call = iota
	driverVersion
	deviceCount
	deviceGet
	deviceName
	deviceUUID
	deviceMemory
	deviceAttribute
	devicePeer
	contextRetain
	contextRelease
	contextPush
	contextPop
	contextPeer
	memInfo
	memAlloc
	memFree
	hostAlloc
	hostFree
	hostRegister
	hostUnregister
	moduleLoad
	moduleUnload
	moduleFunction
	functionSet
	functionOccupancy
	streamCreate
	streamUrgent
	streamDestroy
	streamSync
	streamWait
	eventCreate
	eventDestroy
	eventRecord
	eventSync
	eventQuery
	eventElapsed
	copyToDevice
	copyToHost
	copyOnDevice
	copyPeer
	memset32
	launch
	calls // their number
)

// symbols are the names in the library. The header maps some of them to newer
// versions; the plain names are the 32-bit interface of 2010 then.
var symbols = [calls]string{
	initialize:        "cuInit",
	driverVersion:     "cuDriverGetVersion",
	deviceCount:       "cuDeviceGetCount",
	deviceGet:         "cuDeviceGet",
	deviceName:        "cuDeviceGetName",
	deviceUUID:        "cuDeviceGetUuid",
	deviceMemory:      "cuDeviceTotalMem_v2",
	deviceAttribute:   "cuDeviceGetAttribute",
	devicePeer:        "cuDeviceCanAccessPeer",
	contextRetain:     "cuDevicePrimaryCtxRetain",
	contextRelease:    "cuDevicePrimaryCtxRelease_v2",
	contextPush:       "cuCtxPushCurrent_v2",
	contextPop:        "cuCtxPopCurrent_v2",
	contextPeer:       "cuCtxEnablePeerAccess",
	memInfo:           "cuMemGetInfo_v2",
	memAlloc:          "cuMemAlloc_v2",
	memFree:           "cuMemFree_v2",
	hostAlloc:         "cuMemHostAlloc",
	hostFree:          "cuMemFreeHost",
	hostRegister:      "cuMemHostRegister_v2",
	hostUnregister:    "cuMemHostUnregister",
	moduleLoad:        "cuModuleLoadData",
	moduleUnload:      "cuModuleUnload",
	moduleFunction:    "cuModuleGetFunction",
	functionSet:       "cuFuncSetAttribute",
	functionOccupancy: "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	streamCreate:      "cuStreamCreate",
	streamUrgent:      "cuStreamCreateWithPriority",
	streamDestroy:     "cuStreamDestroy_v2",
	streamSync:        "cuStreamSynchronize",
	streamWait:        "cuStreamWaitEvent",
	eventCreate:       "cuEventCreate",
	eventDestroy:      "cuEventDestroy_v2",
	eventRecord:       "cuEventRecord",
	eventSync:         "cuEventSynchronize",
	eventQuery:        "cuEventQuery",
	eventElapsed:      "cuEventElapsedTime",
	copyToDevice:      "cuMemcpyHtoDAsync_v2",
	copyToHost:        "cuMemcpyDtoHAsync_v2",
	copyOnDevice:      "cuMemcpyDtoDAsync_v2",
	copyPeer:          "cuMemcpyPeerAsync",
	memset32:          "cuMemsetD32Async",
	launch:            "cuLaunchKernel",
}

func (c call) String() string { return symbols[c] }

// functions are the addresses of all calls in one library.
type functions [calls]uintptr

// find looks every call up.
func find(lookup func(name string) (uintptr, error)) (*functions, error) {
	var f functions
	for c, name := range symbols {
		addr, err := lookup(name)
		if err != nil {
			return nil, Missing(name, SymbolNotFound, err)
		}
		f[c] = addr
	}
	return &f, nil
}

// do calls c. An argument converted from a pointer in the argument list stays
// where it is and alive until do returns.
//
//go:uintptrescapes
func (f *functions) do(c call, args ...uintptr) Result {
	return Result(uint32(invoke(f[c], args)))
}
