// The published games discord-tictactoe and discord-gamecord, each as its
// documentation attaches it to a client of discord.js.
import { Client, Events, GatewayIntentBits } from "discord.js";
import gamecord from "discord-gamecord";
import TicTacToe from "discord-tictactoe";
import { api, token } from "./shared.mjs";

const { Guilds, GuildMessages, GuildMessageReactions } = GatewayIntentBits;
const client = new Client({ intents: [Guilds, GuildMessages, GuildMessageReactions], rest: { api } });

new TicTacToe({ language: "en", command: "tictactoe" }).attach(client);

client.on(Events.InteractionCreate, async (i) => {
  if (!i.isChatInputCommand() || i.commandName !== "gamecord") return;
  await new gamecord.TicTacToe({ message: i, isSlashGame: true, opponent: i.options.getUser("opponent") }).startGame();
});

client.once(Events.ClientReady, () => client.application.commands.set([
  { name: "gamecord", description: "gamecord", options: [{ type: 6, name: "opponent", description: "opponent", required: true }] },
]));

client.login(token);
