package main

import "fmt"

type checkConfigCommand struct {
	File string `arg:"" help:"The configuration file."`
}

// Run reads the file and says whether castellan run would take it.
func (c checkConfigCommand) Run(s streams) error {
	if _, err := loadConfig(c.File); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "%s is in order.\n", c.File)
	return err
}
