package main

import (
	"log/slog"
)

// config is what a configuration file says; config.example.toml explains every
// key. A field is a key by its tag, and its type says which values are right.
type config struct {
	Discord  discordConfig  `toml:"discord"`
	Database databaseConfig `toml:"database"`
	Log      logConfig      `toml:"log"`
}

type discordConfig struct {
	API       address    `toml:"api"`
	TokenFile text       `toml:"token_file"`
	Servers   snowflakes `toml:"servers"`
}

type databaseConfig struct {
	Path file `toml:"path"`
}

type logConfig struct {
	Level  level  `toml:"level"`
	Format format `toml:"format"`
}

// discordAPI is where Discord's own API is.
const discordAPI = "https://discord.com"

// defaultConfig is what holds where a file says nothing.
func defaultConfig() config {
	return config{
		Discord:  discordConfig{API: discordAPI, Servers: snowflakes{}},
		Database: databaseConfig{Path: "castellan.db"},
		Log:      logConfig{Level: level(slog.LevelInfo), Format: formatText},
	}
}
