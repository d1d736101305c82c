package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for a release: -X main.version=1.2.3.
var version = ""

type versionCommand struct{}

// Run prints the version, the revision it was built from and the Go version.
func (versionCommand) Run(s streams) error {
	v := version
	info, ok := debug.ReadBuildInfo()
	if v == "" && ok {
		v = info.Main.Version
	}
	if v == "" {
		v = "(devel)"
	}
	if ok {
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" {
				v += " " + kv.Value
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "castellan %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
