package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// VersionCommand prints the version.
type VersionCommand struct{}

// Run prints the version, the revision that it was built from and the Go
// version.
func (VersionCommand) Run(s Streams, k *kong.Kong) error {
	b := ThisBuild()
	v := b.Version
	if b.Revision != "" {
		v += " " + b.Revision
	}
	_, err := fmt.Fprintf(s.Out, "%s %s %s %s/%s\n", k.Model.Name, v, b.GoVersion, runtime.GOOS, runtime.GOARCH)
	return err
}

// Build describes a build of a program.
type Build struct{ Version, Revision, GoVersion string }

// version and revision are set by the linker; see .ci/build.
var version, revision string

// ThisBuild returns the version and origin of this program.
func ThisBuild() Build {
	b := Build{Version: version, Revision: revision, GoVersion: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" {
				b.Revision = cmp.Or(b.Revision, kv.Value)
			}
		}
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}
