// A bot written with discord.js. Its default is zlib-stream if zlib-sync is
// installed, as here.
import { ActivityType, Client, Events, GatewayIntentBits, MessageFlags, Partials } from "discord.js";
import * as shared from "./shared.mjs";

const { Guilds, GuildMembers, GuildMessages, GuildMessageReactions, MessageContent, DirectMessages } = GatewayIntentBits;
const client = new Client({
  intents: [Guilds, GuildMembers, GuildMessages, GuildMessageReactions, MessageContent, DirectMessages],
  partials: [Partials.Message, Partials.Reaction, Partials.Channel],
  rest: { api: shared.api },
  shardCount: shared.shards,
  presence: { status: shared.presence.status, activities: [{ name: shared.presence.activity, type: ActivityType.Playing }] },
});

const file = (attachment, name) => ({ attachment, name });

const commands = {
  reply: (i) => i.reply("reply"),
  async defer(i) {
    await i.deferReply();
    await i.editReply("deferred");
    await i.followUp({ content: "follow-up", flags: MessageFlags.Ephemeral });
  },
  buttons: (i) => i.reply({ content: "buttons", embeds: [{ title: "embed" }], components: shared.buttons }),
  menus: (i) => i.reply({ content: "menus", components: shared.menus }),
  layout: (i) => i.reply({
    flags: MessageFlags.IsComponentsV2, components: shared.layout, files: [file(shared.pixel, "pixel.png"), file(shared.note, "note.txt")],
  }),
  modal: (i) => i.showModal(shared.modals.modal),
  labels: (i) => i.showModal(shared.modals.labels),
  choices: (i) => i.showModal(shared.modals.choices),
  activity: (i) => i.launchActivity(),
  suggest: (i) => i.reply(`suggest: ${i.options.getString("what")}`),
  async file(i) {
    const answer = await fetch(i.options.getAttachment("file").url);
    await i.reply({ content: "file", files: [file(Buffer.from(await answer.arrayBuffer()), "copy.txt")] });
  },
  options: (i) => i.reply(shared.pairs("options", Object.fromEntries(i.options.data.map((o) => [o.name, o.value])))),
  async thread(i) {
    const { resource } = await i.reply({ content: "thread", withResponse: true });
    const thread = await resource.message.startThread({ name: "talk" });
    await thread.send("first");
    await thread.send("second");
    const read = [...(await thread.messages.fetch()).values()].filter((m) => !m.system).map((m) => m.content).reverse();
    await i.editReply(`thread: ${read.join(", ")}`);
  },
  async direct(i) {
    await i.reply({ content: "direct", flags: MessageFlags.Ephemeral });
    await i.user.send("in private");
  },
  async members(i) {
    const members = await i.guild.members.fetch();
    await i.reply(`members: ${members.filter((m) => !m.user.bot).map((m) => m.user.username).sort().join(",")}`);
  },
  async react(i) {
    const { resource } = await i.reply({ content: "react", withResponse: true });
    await resource.message.react("👍");
  },
  Inspect: (i) => i.reply(`inspect: ${i.targetUser.username}`),
  Quote: (i) => i.reply(`quote: ${i.targetMessage.content}`),
};

const components = {
  update: (i) => i.update({ content: "updated", components: [] }),
  async "defer-update"(i) {
    await i.deferUpdate();
    await i.editReply("edited later");
  },
  answer: (i) => i.reply("answered"),
  async later(i) {
    await i.deferReply();
    await i.editReply("later");
  },
  press: (i) => i.update({ components: shared.pressed, files: [] }),
};

client.on(Events.InteractionCreate, async (i) => {
  if (i.isCommand()) await commands[i.commandName](i);
  else if (i.isButton()) await components[i.customId](i);
  else if (i.isAnySelectMenu()) await i.reply(`${i.customId}: ${i.values.join(",")}`);
  else if (i.isAutocomplete()) {
    const typed = i.options.getFocused();
    await i.respond([1, 2].map((n) => ({ name: `${typed}${n}`, value: `${typed}${n}` })));
  } else if (i.isModalSubmit()) {
    const values = {};
    for (const [id, f] of i.fields.fields) values[id] = f.attachments?.size ? f.attachments.map((a) => a.name).join(",") : f.value ?? f.values?.join(",");
    await i.reply(shared.pairs(i.customId, values));
  }
});

client.on(Events.MessageCreate, async (m) => {
  if (!m.author.bot && m.content === "hello") await m.reply(`hello ${m.author.username}`);
});

client.on(Events.MessageReactionAdd, async (reaction, user) => {
  if (user.id !== client.user.id) await reaction.message.channel.send(`reaction: ${reaction.emoji.name} ${user.id}`);
});

client.once(Events.ClientReady, () => client.application.commands.set(shared.commands));

client.login(shared.token);
