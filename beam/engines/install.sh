#!/usr/bin/env bash
# Puts the distributions that command engines starts into .build/engines of the repository, or into the folder
# given: Flink's and Spark's from PyPI, the job servers of Beam from Maven Central. What is there stays.
# It needs Python 3 with pip, Maven, and Java 17.
#
#   ./install.sh [FOLDER [flink|spark]]
set -euo pipefail
cd "$(dirname "$0")/../.."

flink=1.19.3
spark=3.5.5

folder=${1:-.build/engines} # of the repository, if it is no absolute path
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
engines=${2:-flink spark}
tmp=$(mktemp -d "$folder/.install.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# Both distributions are in the folder deps of a source package.
distribution() { # folder package version
	[[ ! -e $folder/$1-$3 ]] || return 0
	python3 -m pip download --quiet --no-deps --no-binary :all: -d "$tmp" "$2==$3"
	mkdir "$tmp/$1"
	tar xzf "$tmp"/*"$3".tar.gz --strip-components=2 -C "$tmp/$1" --wildcards "*/deps"
	rm "$tmp"/*"$3".tar.gz
	mv "$tmp/$1" "$folder/$1-$3"
	ln -sfn "$1-$3" "$folder/$1"
}
[[ $engines != *flink* ]] || distribution flink apache-flink-libraries "$flink"
[[ $engines != *spark* ]] || distribution spark pyspark "$spark"

# A job server is a jar of Beam's runner with all that it needs, except the engine: those of the cluster are on the
# class path as well. The sorts of the engines themselves are in it.
for engine in $engines; do
	jar=$folder/beam-$engine.jar
	sum=$(cat "beam/engines/jars/$engine/pom.xml" "beam/engines/jars/$engine"/*.java | sha256sum)
	if [[ ! -e $jar || $(cat "$jar.sum" 2>"$tmp/none") != "$sum" ]]; then
		mvn --batch-mode --quiet -f "beam/engines/jars/$engine/pom.xml" "-DbuildDirectory=$tmp/$engine" package
		mv "$tmp/$engine/job-server.jar" "$jar"
		echo "$sum" >"$jar.sum"
	fi
done
