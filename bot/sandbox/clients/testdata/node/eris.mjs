// A bot written with Eris. Its host is fixed, so an agent connects to the sandbox
// instead.
import https from "node:https";
import net from "node:net";
import { AutocompleteInteraction, Client, CommandInteraction, ModalSubmitInteraction } from "eris";
import * as shared from "./shared.mjs";

const { hostname, port } = new URL(shared.api);
const agent = new https.Agent();
agent.createConnection = () => net.connect(port, hostname);

const client = new Client(`Bot ${shared.token}`, {
  rest: { agent },
  intents: ["guilds", "guildMembers", "guildMessages", "guildMessageReactions", "messageContent", "directMessages"],
  compress: shared.compress === "zlib-stream",
  maxShards: shared.shards,
});

const file = (contents, name) => ({ file: contents, name });
const names = (members) => members.filter((m) => !m.user.bot).map((m) => m.username).sort();

const commands = {
  reply: (i) => i.createMessage("reply"),
  async defer(i) {
    await i.defer();
    await i.editOriginalMessage("deferred");
    await i.createFollowup({ content: "follow-up", flags: 64 });
  },
  buttons: (i) => i.createMessage({ content: "buttons", embeds: [{ title: "embed" }], components: shared.buttons }),
  menus: (i) => i.createMessage({ content: "menus", components: shared.menus }),
  layout: (i) => i.createMessage({ flags: 1 << 15, components: shared.layout }, [file(shared.pixel, "pixel.png"), file(shared.note, "note.txt")]),
  modal: (i) => i.createModal(shared.modals.modal),
  labels: (i) => i.createModal(shared.modals.labels),
  choices: (i) => i.createModal(shared.modals.choices),
  activity: (i) => client.createInteractionResponse(i.id, i.token, { type: 12 }),
  suggest: (i) => i.createMessage(`suggest: ${i.data.options[0].value}`),
  async file(i) {
    const answer = await fetch(i.data.resolved.attachments[i.data.options[0].value].url);
    await i.createMessage("file", file(Buffer.from(await answer.arrayBuffer()), "copy.txt"));
  },
  options: (i) => i.createMessage(shared.pairs("options", Object.fromEntries(i.data.options.map((o) => [o.name, o.value])))),
  async thread(i) {
    await i.createMessage("thread");
    const message = await i.getOriginalMessage();
    const thread = await message.createThreadWithMessage({ name: "talk", autoArchiveDuration: 60 });
    await thread.createMessage("first");
    await thread.createMessage("second");
    const read = (await thread.getMessages()).filter((m) => m.type === 0).map((m) => m.content).reverse();
    await i.editOriginalMessage(`thread: ${read.join(", ")}`);
  },
  async direct(i) {
    await i.createMessage({ content: "direct", flags: 64 });
    await (await i.member.user.getDMChannel()).createMessage("in private");
  },
  members: async (i) => i.createMessage(`members: ${names(await client.guilds.get(i.guildID).fetchMembers()).join(",")}`),
  async react(i) {
    await i.createMessage("react");
    await (await i.getOriginalMessage()).addReaction("👍");
  },
  Inspect: (i) => i.createMessage(`inspect: ${i.data.resolved.users.get(i.data.target_id).username}`),
  Quote: (i) => i.createMessage(`quote: ${i.data.resolved.messages.get(i.data.target_id).content}`),
};

const components = {
  update: (i) => i.editParent({ content: "updated", components: [] }),
  async "defer-update"(i) {
    await i.deferUpdate();
    await i.editOriginalMessage("edited later");
  },
  answer: (i) => i.createMessage("answered"),
  async later(i) {
    await i.defer();
    await i.editOriginalMessage("later");
  },
  press: (i) => i.editParent({ components: shared.pressed }),
};

client.on("interactionCreate", async (i) => {
  if (i instanceof CommandInteraction) await commands[i.data.name](i);
  else if (i instanceof ModalSubmitInteraction) await i.createMessage(shared.pairs(i.data.custom_id, shared.fields(i.data)));
  else if (i instanceof AutocompleteInteraction) {
    await i.result([1, 2].map((n) => ({ name: `${i.data.options[0].value}${n}`, value: `${i.data.options[0].value}${n}` })));
  } else if (i.data.values) await i.createMessage(`${i.data.custom_id}: ${i.data.values.join(",")}`);
  else await components[i.data.custom_id](i);
});

client.on("messageCreate", async (m) => {
  if (!m.author.bot && m.content === "hello") {
    await client.createMessage(m.channel.id, { content: `hello ${m.author.username}`, messageReference: { messageID: m.id } });
  }
});

client.on("messageReactionAdd", async (message, emoji, by) => {
  if (by.id !== client.user.id) await client.createMessage(message.channel.id, `reaction: ${emoji.name} ${by.id}`);
});

client.once("ready", async () => {
  client.editStatus(shared.presence.status, { name: shared.presence.activity, type: 0 });
  await client.bulkEditCommands(shared.commands);
});

client.on("error", (err) => console.error(err));
client.connect();
