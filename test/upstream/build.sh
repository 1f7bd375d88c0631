#!/usr/bin/env bash
# Builds programs of Kubernetes and etcd from the Go module proxy into $UPSTREAM_HOME/bin (default: ~/.cache/upstream-$KUBE), those that are not
# there yet. KUBE is the release of Kubernetes, by default the one whose answers this server gives; ETCD is the release of etcd, by default the
# one that Kubernetes' go.mod names.
#   build.sh [PROGRAM...]   kube-apiserver and etcd unless others are named: kube-controller-manager, kube-scheduler, kubectl, e2e.test
# kube-apiserver and etcd take five to ten minutes on two cores, each of the others up to five.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kube=${KUBE:-$(sed -n 's/.*gitVersion: `v\([0-9.]*\)+.*/\1/p' "$here/../../src/server/process/version.ts")}
home=${UPSTREAM_HOME:-$HOME/.cache/upstream-$kube}
staging=v0.${kube#1.}
bin=$home/bin
mkdir -p "$bin"

kubernetes_mod() {
  go mod download "k8s.io/kubernetes@v$kube" >&2
  echo "$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/v$kube.mod"
}

# Writes the go.mod of a program that imports k8s.io/kubernetes, which replaces its own modules by folders of its repository; the proxy has
# them as v0.MINOR.PATCH.
kubernetes_module() {
  local mod; mod=$(kubernetes_mod)
  {
    printf 'module upstream\n\n'
    grep -E '^go ' "$mod"
    printf '\n%s\n\n' "$(grep -E '^godebug ' "$mod" || true)"
    sed -n '/^require (/,/^)/p' "$mod" | sed -E 's#^(\s+k8s.io/[a-z-]+) v0\.0\.0(\s.*)?$#\1 '"$staging"'\2#'
    printf 'require k8s.io/kubernetes v%s\n\nreplace (\n' "$kube"
    grep -oE '^\s+k8s.io/[a-z-]+ => ./staging' "$mod" | awk -v v="$staging" '{print "\t"$1" => "$1" "v}'
    printf ')\n'
  } > go.mod
  rm -f go.sum
  go mod tidy -e > tidy.log 2>&1 || true
}

flags() {
  local v=k8s.io/component-base/version
  echo "-s -w -X $v.gitVersion=v$kube -X $v.gitMajor=1 -X $v.gitMinor=$(cut -d. -f2 <<<"$kube")"
}

# One program of k8s.io/kubernetes: NAME CONSTRUCTOR.
component() {
  cat > main.go <<GO
package main

import (
	"os"

	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/$1/app"
)

func main() { os.Exit(cli.Run(app.$2())) }
GO
  kubernetes_module
  go build -trimpath -ldflags "$(flags)" -o "$bin/$1" .
}

kubectl() {
  cat > main.go <<'GO'
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
	os.Exit(0)
}
GO
  printf 'module upstream\n\ngo 1.22\n' > go.mod
  go get "k8s.io/kubectl@$staging" "k8s.io/component-base@$staging"
  go mod tidy > tidy.log 2>&1
  go build -trimpath -ldflags "$(flags)" -o "$bin/kubectl" .
}

etcd() {
  local version=${ETCD:-$(sed -n 's#.*go.etcd.io/etcd/client/v3 v##p' "$(kubernetes_mod)")}
  printf 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n' > main.go
  printf 'module upstream\n\ngo 1.25\n' > go.mod
  go get "go.etcd.io/etcd/server/v3@v$version"
  go mod tidy
  go build -o "$bin/etcd" .
}

e2e() {
  cp "$here/e2e/e2e_test.go" .
  kubernetes_module
  go test -c -trimpath -o "$bin/e2e.test" .
}

[ $# -gt 0 ] || set -- kube-apiserver etcd
for name in "$@"; do
  [ -x "$bin/$name" ] && continue
  mkdir -p "$home/src/$name"
  cd "$home/src/$name"
  case $name in
    kube-apiserver) component "$name" NewAPIServerCommand ;;
    kube-controller-manager) component "$name" NewControllerManagerCommand ;;
    kube-scheduler) component "$name" NewSchedulerCommand ;;
    kubectl) kubectl ;;
    etcd) etcd ;;

    e2e.test) e2e ;;
    *) echo "build.sh knows no program $name" >&2; exit 2 ;;
  esac
done
echo "$bin"
