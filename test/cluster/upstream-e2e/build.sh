#!/usr/bin/env bash
# Builds $UPSTREAM_HOME/bin/e2e.test (default: ~/.cache/upstream) from the Go module proxy; takes three minutes on two cores.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${UPSTREAM_HOME:-$HOME/.cache/upstream}
version=1.36.3
dir=$home/src/e2e
mkdir -p "$home/bin" "$dir"
cd "$dir"
cp "$here/e2e_test.go" .
go mod download "k8s.io/kubernetes@v$version"
mod=$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/v$version.mod
# Kubernetes replaces its own modules by folders of its repository; the proxy has them as v0.36.3.
{
  printf 'module e2e\n\ngo 1.26.0\n\ngodebug default=go1.26\n\n'
  sed -n '/^require (/,/^)/p' "$mod" | sed -E "s#^(\s+k8s.io/[a-z-]+) v0\.0\.0(\s.*)?\$#\1 v0.${version#*.}\2#"
  printf 'require k8s.io/kubernetes v%s\n\nreplace (\n' "$version"
  grep -oE '^\s+k8s.io/[a-z-]+ => ./staging' "$mod" | awk -v version="v0.${version#*.}" '{print "\t"$1" => "$1" "version}'
  printf ')\n'
} > go.mod
rm -f go.sum
go mod tidy -e > tidy.log 2>&1 || true
go test -c -trimpath -o "$home/bin/e2e.test" .
