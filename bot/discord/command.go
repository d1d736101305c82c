package discord

// OptionType is the type of a command's option.
type OptionType int

// The types of options that Castellan uses.
const (
	OptionSubcommand OptionType = 1
	OptionString     OptionType = 3
	OptionInteger    OptionType = 4
	OptionBoolean    OptionType = 5
	OptionUser       OptionType = 6
)

// Command is a command as it is registered.
type Command struct {
	Type        int    `json:"type,omitempty"` // 0 means TypeSlash
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // of a slash command alone, which must have one
	// Contexts is where it can be used: 0 in servers, 1 in direct messages
	// with the bot, 2 in other private channels.
	Contexts []int `json:"contexts"`
	// Installs is by whose install it is there: 0 a server's, 1 a person's. Of
	// a command of one server it is left out.
	IntegrationTypes []int    `json:"integration_types,omitempty"`
	Options          []Option `json:"options,omitempty"`
}

// The types of commands: one that is typed, and one of the context menu of a
// person.
const (
	CommandChatInput = 1
	CommandUser      = 2
)

// Registered is a command as Discord lists it, as far as Command has it.
type RegisteredCommand struct {
	Command
	Type int `json:"type"` // TypeSlash, or another kind
}

// Option is an option of a command, or a subcommand with its own options.
// Required options stand before the others.
type Option struct {
	Type         OptionType `json:"type"`
	Name         string     `json:"name"`
	Description  string     `json:"description"`
	Required     bool       `json:"required,omitempty"`
	Autocomplete bool       `json:"autocomplete,omitempty"`
	MinValue     *int       `json:"min_value,omitempty"`
	MaxValue     *int       `json:"max_value,omitempty"`
	MaxLength    int        `json:"max_length,omitempty"`
	Choices      []Choice   `json:"choices,omitempty"`
	Options      []Option   `json:"options,omitempty"`
}

// Choice is one value that an option can take, or one that is suggested. The
// value is a string or an int.
type Choice struct {
	Name  string `json:"name"` // 1 to 100 characters
	Value any    `json:"value"`
}
