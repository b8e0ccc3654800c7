// Package powerloss is for tests of what files hold after the power is cut. It records the system calls by which a
// process changes the files of a folder, and makes folders as a disk may have them if the power is cut at any moment
// of these calls.
//
// The disk is as POSIX allows it to be. Only a sync of a file makes its bytes and its size durable, and only a sync of
// a folder the names in it. Of all other changes any may be lost, in any sequence: bytes come without the name, a
// name without the bytes, a size without the bytes, parts of writes, sectors of 512 bytes or pages of 4096. A change
// of one name by one rename is whole or not there, as file systems with a journal have it. A file whose name was
// removed, or that never had one, is gone.
package powerloss
