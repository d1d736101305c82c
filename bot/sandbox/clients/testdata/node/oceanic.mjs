// A bot written with Oceanic.
import { Client, InteractionTypes } from "oceanic.js";
import * as shared from "./shared.mjs";

const client = new Client({
  auth: `Bot ${shared.token}`,
  rest: { baseURL: `${shared.api}/v10` },
  gateway: {
    intents: ["GUILDS", "GUILD_MEMBERS", "GUILD_MESSAGES", "GUILD_MESSAGE_REACTIONS", "MESSAGE_CONTENT", "DIRECT_MESSAGES"],
    presence: { status: shared.presence.status, activities: [{ name: shared.presence.activity, type: 0 }] },
    maxShards: shared.shards,
    ...(shared.compress ? { compress: shared.compress } : {}),
  },
});

const file = (contents, name) => ({ contents, name });
const message = (i, content) => i.createMessage({ content });
const camel = (value) => shared.camel(value, "ID");

const commands = {
  reply: (i) => message(i, "reply"),
  async defer(i) {
    await i.defer();
    await i.editOriginal({ content: "deferred" });
    await i.createFollowup({ content: "follow-up", flags: 64 });
  },
  buttons: (i) => i.createMessage({ content: "buttons", embeds: [{ title: "embed" }], components: camel(shared.buttons) }),
  menus: (i) => i.createMessage({ content: "menus", components: camel(shared.menus) }),
  layout: (i) => i.createMessage({
    flags: 1 << 15, components: camel(shared.layout), files: [file(shared.pixel, "pixel.png"), file(shared.note, "note.txt")],
  }),
  modal: (i) => i.createModal(camel(shared.modals.modal)),
  labels: (i) => i.createModal(camel(shared.modals.labels)),
  choices: (i) => i.createModal(camel(shared.modals.choices)),
  activity: (i) => i.launchActivity(),
  suggest: (i) => message(i, `suggest: ${i.data.options.getString("what")}`),
  async file(i) {
    const answer = await fetch(i.data.options.getAttachment("file").url);
    await i.createMessage({ content: "file", files: [file(Buffer.from(await answer.arrayBuffer()), "copy.txt")] });
  },
  options: (i) => message(i, shared.pairs("options", Object.fromEntries(i.data.options.raw.map((o) => [o.name, o.value])))),
  async thread(i) {
    await message(i, "thread");
    const thread = await (await i.getOriginal()).startThread({ name: "talk" });
    await thread.createMessage({ content: "first" });
    await thread.createMessage({ content: "second" });
    const read = (await thread.getMessages()).filter((m) => m.type === 0).map((m) => m.content).reverse();
    await i.editOriginal({ content: `thread: ${read.join(", ")}` });
  },
  async direct(i) {
    await i.createMessage({ content: "direct", flags: 64 });
    await (await i.user.createDM()).createMessage({ content: "in private" });
  },
  async members(i) {
    const members = await i.guild.fetchMembers();
    await message(i, `members: ${members.filter((m) => !m.bot).map((m) => m.username).sort().join(",")}`);
  },
  async react(i) {
    await message(i, "react");
    await (await i.getOriginal()).createReaction("👍");
  },
  Inspect: (i) => message(i, `inspect: ${i.data.target.username}`),
  Quote: (i) => message(i, `quote: ${i.data.target.content}`),
};

const components = {
  update: (i) => i.editParent({ content: "updated", components: [] }),
  async "defer-update"(i) {
    await i.deferUpdate();
    await i.editOriginal({ content: "edited later" });
  },
  answer: (i) => message(i, "answered"),
  async later(i) {
    await i.defer();
    await i.editOriginal({ content: "later" });
  },
  press: (i) => i.editParent({ components: shared.pressed }),
};

client.on("interactionCreate", async (i) => {
  switch (i.type) {
    case InteractionTypes.APPLICATION_COMMAND:
      await commands[i.data.name](i);
      break;
    case InteractionTypes.APPLICATION_COMMAND_AUTOCOMPLETE: {
      const typed = i.data.options.getFocused().value;
      await i.result([1, 2].map((n) => ({ name: `${typed}${n}`, value: `${typed}${n}` })));
      break;
    }
    case InteractionTypes.MESSAGE_COMPONENT:
      if (i.data.values) await message(i, `${i.data.customID}: ${i.data.values.raw.join(",")}`);
      else await components[i.data.customID](i);
      break;
    case InteractionTypes.MODAL_SUBMIT: {
      const values = {};
      for (const c of i.data.components.getComponents()) {
        const files = i.data.resolved.attachments;
        values[c.customID] = c.value ?? c.values.map((v) => files.get(v)?.filename ?? v).join(",");
      }
      await message(i, shared.pairs(i.data.customID, values));
    }
  }
});

client.on("messageCreate", async (m) => {
  if (!m.author.bot && m.content === "hello") {
    await client.rest.channels.createMessage(m.channelID, { content: `hello ${m.author.username}`, messageReference: { messageID: m.id } });
  }
});

client.on("messageReactionAdd", async (m, by, reaction) => {
  if (by.id !== client.user.id) await client.rest.channels.createMessage(m.channelID, { content: `reaction: ${reaction.emoji.name} ${by.id}` });
});

client.once("ready", () => client.application.bulkEditGlobalCommands(camel(shared.commands)));

client.on("error", (err) => console.error(err));
client.connect();
