package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"castellan/bot/discord"
	"castellan/cmd/internal/cli"
)

// systemFolder holds the configuration where a package of the system installed the bot.
const systemFolder = "/etc/castellan"

type setupCommand struct {
	Dir   string `help:"Folder for the configuration, the token file and the database (/etc/castellan if a package made it, otherwise this one)." placeholder:"FOLDER"`
	API   string `name:"api" help:"Address of Discord's API, such as that of castellan sandbox (that of a configuration that exists, otherwise https://discord.com)." placeholder:"URL"`
	Force bool   `help:"Replace a token file that exists."`

	in io.Reader // os.Stdin if nil
}

// Run asks for the token, checks it, writes the files and says how to go on.
func (c setupCommand) Run(ctx context.Context, s cli.Streams) error {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	token, config := filepath.Join(dir, "token"), filepath.Join(dir, "castellan.toml")
	if _, err := os.Stat(token); err == nil && !c.Force {
		return cli.Usage(fmt.Errorf("%s exists; castellan doctor checks what is there, and --force replaces it", token))
	}
	api, err := c.api(config)
	if err != nil {
		return err
	}
	if api == discordAPI {
		fmt.Fprint(s.Out, setupSteps)
	}
	secret, err := c.askToken(s)
	if err != nil {
		return err
	}
	client, err := newClient(api, secret)
	if err != nil {
		return err
	}
	app, name, err := identify(ctx, client)
	if err != nil {
		return wrongToken(err)
	}
	if _, err := client.GetGateway(ctx); err != nil {
		return fmt.Errorf("asking where to connect: %w", err)
	}
	fmt.Fprintf(s.Out, "\nDiscord knows this bot: %s, application %s. It may connect.\n", name, app.ID)
	if app.Endpoint != "" {
		fmt.Fprintf(s.Out, "The application sends interactions to %s. Clear that address under General Information in the developer portal, or set up [interactions].\n", app.Endpoint)
	}
	if err := os.WriteFile(token, []byte(secret+"\n"), 0o600); err != nil {
		return err
	}
	if err := os.Chmod(token, 0o600); err != nil { // of a file that was there before
		return err
	}
	wrote := "wrote"
	err = writeNew(config, fmt.Sprintf(setupConfig, token, filepath.Join(dir, "castellan.db"), api, freePort()))
	if errors.Is(err, fs.ErrExist) {
		wrote, err = "kept", nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "Wrote %s, %s %s.\n\n", token, wrote, config)
	base, _ := url.Parse(api) // was checked
	start := "castellan run --config " + config
	if dir == systemFolder {
		start = "systemctl enable --now castellan"
	}
	_, err = fmt.Fprintf(s.Out, "Start it:\n  %s\nAdd it to a server:\n  %s\nIf something does not work:\n  castellan doctor --config %s\n", start, discord.Invite(base, app.ID), config)
	return err
}

const setupSteps = `For Discord, a bot is an application. To make one:

  1. Open https://discord.com/developers/applications and choose New Application.
  2. On the page Bot, choose Reset Token, and copy the token. Whoever has it can
     act as your bot: show it to nobody.
  3. Leave everything under Privileged Gateway Intents off.

`

// setupConfig is the configuration that setup writes: the token file, the database and the
// API.
const setupConfig = `# Written by castellan setup; config.example.toml explains every key.

[discord]
token_file = %q
api = %[3]q

[database]
path = %[2]q

[http]
listen = "127.0.0.1:%[4]d" # health and metrics, for this machine alone
`

// freePort returns the first port from 9464 on at which the bot can listen.
func freePort() int {
	const usual, last = 9464, 9564
	for port := usual; port <= last; port++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	return usual
}

// folder returns where the files belong, as an absolute path. It creates no folder.
func (c setupCommand) folder() (string, error) {
	dir := c.Dir
	if dir == "" {
		dir = "."
		if info, err := os.Stat(systemFolder); err == nil && info.IsDir() {
			dir = systemFolder
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", cli.Usage(fmt.Errorf("%s is no folder", dir))
	}
	return dir, nil
}

// api returns the address of Discord's API.
func (c setupCommand) api(config string) (string, error) {
	if c.API != "" {
		api, err := parseAPI(strings.TrimSuffix(strings.TrimSuffix(c.API, "/"), "/api"))
		if err != nil {
			err = cli.Usage(fmt.Errorf("--api %w", err))
		}
		return api, err
	}
	if _, err := os.Stat(config); err != nil {
		return discordAPI, nil
	}
	conf, err := loadConfig(config)
	return conf.API, err
}

// askToken reads the token from the terminal, without showing it, or from another
// standard input.
func (c setupCommand) askToken(s cli.Streams) (string, error) {
	fmt.Fprint(s.Out, "Token (it is not shown): ")
	in := c.in
	if in == nil {
		in = os.Stdin
		if fd := int(os.Stdin.Fd()); term.IsTerminal(fd) {
			line, err := term.ReadPassword(fd)
			fmt.Fprintln(s.Out)
			if err != nil {
				return "", err
			}
			return checkToken(strings.TrimSpace(string(line)), "the input")
		}
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxToken)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", err
	}
	token, err := checkToken(strings.TrimSpace(line), "the input")
	if err != nil {
		err = cli.Usage(err)
	}
	return token, err
}

// writeNew writes a file that does not exist yet.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// newClient returns a client of Discord's API.
func newClient(api, token string) (*discord.Client, error) {
	var base *url.URL
	if api != discordAPI {
		var err error
		if base, err = url.Parse(api); err != nil {
			return nil, err
		}
	}
	return discord.NewClient(token, base, nil), nil
}

// identify returns the application and the name of the bot that a token belongs to.
func identify(ctx context.Context, client *discord.Client) (app discord.Application, name string, err error) {
	if app, err = client.GetApplication(ctx); err != nil {
		return app, "", fmt.Errorf("asking Discord for the application: %w", err)
	}
	return app, cmp.Or(app.Name, "without a name"), nil
}

// foundConfig returns the name of the configuration for a command that only looks: the one
// that is named, or else one that setup or a package has written.
func foundConfig(name string) string {
	if name != "" {
		return name
	}
	for _, dir := range []string{".", systemFolder} {
		name := filepath.Join(dir, "castellan.toml")
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

type inviteCommand struct {
	Config string `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file of the bot, whose token says which application it is (castellan.toml here or in /etc/castellan if it exists)." placeholder:"FILE"`
	ID     string `name:"id" help:"Application ID, instead of asking Discord." placeholder:"ID"`
}

// Run prints the address that adds the bot to a server.
func (c inviteCommand) Run(ctx context.Context, s cli.Streams) error {
	conf, err := loadConfig(foundConfig(c.Config))
	if err != nil {
		return err
	}
	id := c.ID
	if id == "" {
		token, err := conf.token()
		if err != nil {
			return cli.Usage(err)
		}
		client, err := newClient(conf.API, token)
		if err != nil {
			return err
		}
		app, _, err := identify(ctx, client)
		if err != nil {
			return wrongToken(err)
		}
		id = app.ID
	}
	base, err := url.Parse(conf.API)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.Out, discord.Invite(base, id))
	return err
}

// discordClock returns how far the clock of this machine is ahead of Discord's, to about a
// second.
func discordClock(ctx context.Context, api string) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/api/v10/gateway", nil)
	if err != nil {
		return 0, err
	}
	response, err := (&http.Client{Timeout: healthTimeout}).Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	at, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return 0, err
	}
	return time.Since(at).Round(time.Second), nil
}
