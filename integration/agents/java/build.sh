#!/bin/sh
# build.sh JAVAC JAR FOLDER OUT: compiles the agent into OUT, by way of FOLDER. Where a JVM enters it is for Java 8, all else for Java 11.
set -eu
javac=$1 jar=$2 folder=$3 out=$4
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
"$javac" -Xlint:all,-options -Werror --release 11 -d "$folder" "$here"/retrial/agent/*.java "$here"/retrial/start/Boot.java "$here"/retrial/start/Tests.java
"$javac" -Xlint:all,-options -Werror --release 8 -d "$folder" "$here"/retrial/start/Premain.java
printf 'Premain-Class: retrial.start.Premain\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n' >"$folder/manifest"
"$jar" cfm "$out" "$folder/manifest" -C "$folder" retrial
