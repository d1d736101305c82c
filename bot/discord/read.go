package discord

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
)

// Found is a message in a channel as far as it tells whose it is.
type ChannelMessage struct {
	ID       string
	AuthorID string
	// Pictures is the file names of the pictures that it shows, in order.
	Images []string
}

// recent is how many messages Discord gives at most at a time.
const recent = 100

// Recent is the newest messages of a channel, at most 100, the newest first.
// Discord gives none where the bot may not read the channel's history.
func (c *Client) GetMessages(ctx context.Context, channel string) ([]ChannelMessage, error) {
	var all []struct {
		ID     string `json:"id"`
		Author struct {
			ID string `json:"id"`
		} `json:"author"`
		Components []seen `json:"components"`
	}
	err := c.send(ctx, limited, http.MethodGet, fmt.Sprintf("/channels/%s/messages?limit=%d", channel, recent), nil, nil, &all)
	if err != nil {
		return nil, err
	}
	found := make([]ChannelMessage, len(all))
	for i, m := range all {
		found[i] = ChannelMessage{ID: m.ID, AuthorID: m.Author.ID, Images: pictures(nil, m.Components)}
	}
	return found, nil
}

// seen is a component of a message that is there.
type seen struct {
	Components []seen `json:"components"`
	Items      []struct {
		Media struct {
			URL string `json:"url"`
		} `json:"media"`
	} `json:"items"`
}

func pictures(all []string, components []seen) []string {
	for _, c := range components {
		for _, i := range c.Items {
			if u, err := url.Parse(i.Media.URL); err == nil && u.Path != "" {
				all = append(all, path.Base(u.Path))
			}
		}
		all = pictures(all, c.Components)
	}
	return all
}

// Self is the identifier of the bot's own user.
func (c *Client) GetCurrentUser(ctx context.Context) (string, error) {
	var me struct {
		ID string `json:"id"`
	}
	err := c.send(ctx, limited, http.MethodGet, "/users/@me", nil, nil, &me)
	if err == nil && me.ID == "" {
		err = fmt.Errorf("GET /users/@me: the answer names nobody")
	}
	return me.ID, err
}

// See fails where a channel is not there, or the bot cannot see it.
func (c *Client) GetChannel(ctx context.Context, channel string) error {
	return c.send(ctx, limited, http.MethodGet, "/channels/"+channel, nil, nil, nil)
}
