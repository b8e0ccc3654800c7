#!/usr/bin/env bash
# Sorts by Flink: starts the job server of Beam's release with its embedded Flink in Docker, and
# submits the program to it. Its DoFns run in this process, so files are those of this machine.
#
#   ./flink.sh -in 'logs/*.csv' -out sorted/logs
#
# FLINK_MASTER=host:8081 takes a cluster instead of the embedded Flink. Workers of a cluster are
# containers, and files have to be where all of them are, such as s3://:
#
#   FLINK_MASTER=host:8081 ENVIRONMENT=DOCKER ./flink.sh -in 's3://…' -out s3://…
set -euo pipefail

image=${JOB_SERVER:-apache/beam_flink1.19_job_server:2.77.0}
worker=${WORKER:-apache/beam_go_sdk:2.77.0}
environment=${ENVIRONMENT:-LOOPBACK}
parallelism=${PARALLELISM:-$(nproc)}

command -v docker >/dev/null || { echo "flink.sh: there is no Docker" >&2; exit 1; }
folder=$(mktemp -d)
server=
trap 'rm -rf "$folder"; [[ -z $server ]] || docker stop "$server" >/dev/null' EXIT
go build -C "$(dirname "$0")" -o "$folder/sort" .
server=$(docker run --rm --detach --net=host "$image" ${FLINK_MASTER:+--flink-master="$FLINK_MASTER"})
for ((i = 0; i < 60; i++)); do
	if (: <>/dev/tcp/localhost/8099) 2>/dev/null; then break; fi
	sleep 1
done

args=(-on flink -endpoint localhost:8099 -environment_type "$environment" -parallelism "$parallelism")
if [[ $environment == DOCKER ]]; then
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -C "$(dirname "$0")" -o "$folder/worker" .
	args+=(-environment_config "$worker" -worker_binary "$folder/worker")
fi
"$folder/sort" "${args[@]}" "$@"
