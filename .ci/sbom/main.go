// Command sbom writes the bill of materials of a Go program to standard output,
// in CycloneDX's JSON: the modules that the program was built from, as the
// program itself says. The same program gives the same text.
//
//	go run -C .ci/sbom . /path/to/castellan VERSION
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	all := []cdx.Component{{
		Type: cdx.ComponentTypeLibrary, BOMRef: "pkg:golang/std@" + goVersion, PackageURL: "pkg:golang/std@" + goVersion,
		Name: "std", Version: goVersion,
	}}
	refs := []string{all[0].BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, PackageURL: url, Name: m.Path, Version: m.Version}
		// The hash of a module's tree, as in go.sum.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
		}
		all, refs = append(all, c), append(refs, url)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: info.Main.Path, Name: info.Main.Path, Version: version}}
	bom.Components = &all
	bom.Dependencies = &[]cdx.Dependency{{Ref: info.Main.Path, Dependencies: &refs}}
	return cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
