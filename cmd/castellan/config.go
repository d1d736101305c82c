package main

import (
	"log/slog"
	"time"

	"castellan/bot/host"
	"castellan/bot/interaction"
)

// config is what a configuration file says; config.example.toml explains every
// key. A field is a key by its tag, and its type says which values are right.
type config struct {
	Discord  discordConfig  `toml:"discord"`
	Database databaseConfig `toml:"database"`
	Log      logConfig      `toml:"log"`
	HTTP     httpConfig     `toml:"http"`
	Limits   limitsConfig   `toml:"limits"`
}

type discordConfig struct {
	API       address    `toml:"api"`
	TokenFile text       `toml:"token_file"`
	Servers   snowflakes `toml:"servers"`
	Threads   yesNo      `toml:"threads"`
}

type databaseConfig struct {
	Path file `toml:"path"`
}

type logConfig struct {
	Level  level  `toml:"level"`
	Format format `toml:"format"`
}

type httpConfig struct {
	Listen listenAddress `toml:"listen"`
}

// limitsConfig is a host.Limits and what of a interaction.Flood concerns who runs a bot.
type limitsConfig struct {
	Window             duration `toml:"challenge_window"`
	MadeByPerson       number   `toml:"challenges_per_person"`
	MadeInChannel      number   `toml:"challenges_per_channel"`
	OpenByPerson       number   `toml:"open_challenges_per_person"`
	OpenInChannel      number   `toml:"open_challenges_per_channel"`
	Running            number   `toml:"matches_per_person"`
	PersonAtOnce       number   `toml:"requests_per_person"`
	PersonEverySecond  rate     `toml:"requests_per_person_and_second"`
	ChannelAtOnce      number   `toml:"requests_per_channel"`
	ChannelEverySecond rate     `toml:"requests_per_channel_and_second"`
}

// limits is what a person may have.
func (c limitsConfig) limits() host.Limits {
	return host.Limits{
		Window: time.Duration(c.Window), MadeByPerson: int(c.MadeByPerson), MadeInChannel: int(c.MadeInChannel),
		OpenByPerson: int(c.OpenByPerson), OpenInChannel: int(c.OpenInChannel), Running: int(c.Running),
	}
}

// flood is how much a person can ask at once.
func (c limitsConfig) flood() interaction.Flood {
	return interaction.Flood{
		Burst: int(c.PersonAtOnce), Rate: float64(c.PersonEverySecond),
		ChannelBurst: int(c.ChannelAtOnce), ChannelRate: float64(c.ChannelEverySecond),
	}
}

// discordAPI is where Discord's own API is.
const discordAPI = "https://discord.com"

// defaultConfig is what holds where a file says nothing.
func defaultConfig() config {
	limits, flood := host.DefaultLimits(), interaction.DefaultFlood()
	return config{
		Discord:  discordConfig{API: discordAPI, Servers: snowflakes{}, Threads: true},
		Database: databaseConfig{Path: "castellan.db"},
		Log:      logConfig{Level: level(slog.LevelInfo), Format: formatText},
		Limits: limitsConfig{
			Window: duration(limits.Window), MadeByPerson: number(limits.MadeByPerson), MadeInChannel: number(limits.MadeInChannel),
			OpenByPerson: number(limits.OpenByPerson), OpenInChannel: number(limits.OpenInChannel), Running: number(limits.Running),
			PersonAtOnce: number(flood.Burst), PersonEverySecond: rate(flood.Rate),
			ChannelAtOnce: number(flood.ChannelBurst), ChannelEverySecond: rate(flood.ChannelRate),
		},
	}
}
