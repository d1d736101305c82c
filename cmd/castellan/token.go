package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// tokenVariable is the environment variable that holds the bot token.
const tokenVariable = "CASTELLAN_TOKEN"

// maxToken is far above the length of a token, in bytes.
const maxToken = 4096

// errNoToken says how to get one.
var errNoToken = errors.New(`there is no bot token. To get one:

  1. Open https://discord.com/developers/applications and choose New Application.
  2. On the page Bot of the application, choose Reset Token and copy the token.
     Whoever has it can act as your bot: show it to nobody.
  3. Start castellan run with the token in the environment variable ` + tokenVariable + `,
     or put it alone into a file that token_file in the configuration names.

docs/installing.md goes through all of it. To try Castellan without a token:

  castellan sandbox`)

// readToken is the bot token: from the environment, or from a file where the
// environment has none. It is never part of an error.
func readToken(environment, file string) (string, error) {
	if token := strings.TrimSpace(environment); token != "" {
		return checkToken(token, tokenVariable)
	}
	if file == "" {
		return "", errNoToken
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("opening the file of the token (token_file): %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", fmt.Errorf("reading the file of the token (token_file): %w", err)
	}
	if len(data) > maxToken {
		return "", fmt.Errorf("%s holds no token: it has more than %d bytes", file, maxToken)
	}
	return checkToken(strings.TrimSpace(string(data)), file)
}

// checkToken refuses what cannot be a token, before Discord does so less
// kindly.
func checkToken(token, from string) (string, error) {
	switch {
	case token == "":
		return "", fmt.Errorf("%s is empty: it should hold the bot token", from)
	case strings.HasPrefix(strings.ToLower(token), "bot "):
		return "", fmt.Errorf("%s should hold the token alone, without the word Bot before it", from)
	case strings.IndexFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) >= 0:
		return "", fmt.Errorf("%s holds no token: a token has no spaces and no letters beyond ASCII", from)
	}
	return token, nil
}
