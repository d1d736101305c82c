package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"castellan/bot/metrics"
)

// version is set by the linker for a release: -X main.version=1.2.3.
var version = ""

type versionCommand struct{}

// build is what this program is.
func build() metrics.Build {
	b := metrics.Build{Version: version, GoVersion: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" {
				b.Revision = kv.Value
			}
		}
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}

// Run prints the version, the revision it was built from and the Go version.
func (versionCommand) Run(s streams) error {
	b := build()
	v := b.Version
	if b.Revision != "" {
		v += " " + b.Revision
	}
	_, err := fmt.Fprintf(s.out, "castellan %s %s %s/%s\n", v, b.GoVersion, runtime.GOOS, runtime.GOARCH)
	return err
}
