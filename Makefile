# Checks and measurements; see CONTRIBUTING.md.

.PHONY: test race lint fuzz bench cover cross cudacpu

test:
	go test ./...

race:
	.ci/run race

lint:
	.ci/run format vet lint

fuzz:
	.ci/run fuzz

cover cross cudacpu:
	.ci/run $@

bench:
	cd bench && go run .
