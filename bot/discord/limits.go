package discord

// Discord's limits, in characters unless another unit is named. Sources:
// https://docs.discord.com/developers/components/reference,
// https://docs.discord.com/developers/interactions/application-commands and
// https://docs.discord.com/developers/resources/channel.
const (
	MaxCustomID       = 100  // of a component
	MaxButtonsPerRow  = 5    // buttons in an action row
	MaxSelectOptions  = 25   // options of a select menu
	MaxChoices        = 25   // choices of a command's option, and suggestions
	MaxChoiceValue    = 100  // value of a choice or suggestion
	MaxDescription    = 100  // description of a command or option
	MaxAltText        = 1024 // description of an attachment
	MaxThreadName     = 100
	MaxCommandOptions = 25 // options of a command
)
