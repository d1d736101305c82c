// A bot written with Discordeno. It takes the ID of the application from the
// token's first part.
import { createBot, createDesiredPropertiesObject, InteractionTypes, Intents, MessageFlags, TransportCompression } from "@discordeno/bot";
import * as shared from "./shared.mjs";

const bot = createBot({
  token: shared.token,
  intents: Intents.Guilds | Intents.GuildMembers | Intents.GuildMessages | Intents.GuildMessageReactions | Intents.MessageContent | Intents.DirectMessages,
  desiredProperties: createDesiredPropertiesObject({}, true),
  rest: { token: shared.token, proxy: { baseUrl: shared.api } },
  gateway: {
    token: shared.token,
    totalShards: shared.shards,
    lastShardId: shared.shards - 1,
    cache: { requestMembers: { enabled: true } },
    makePresence: async () => ({ status: shared.presence.status, activities: [{ name: shared.presence.activity, type: 0 }] }),
    compress: shared.compress === "payload",
    transportCompression: { "zlib-stream": TransportCompression.zlib, "zstd-stream": TransportCompression.zstd }[shared.compress] ?? null,
  },
});

// Discordeno drops what it does not know of a component, but lets the bot keep it.
bot.transformers.customizers.component = (_, payload, component) => ({ ...camel(payload), ...component });

const file = (contents, name) => ({ blob: new Blob([contents]), name });
const camel = (value) => shared.camel(value, "Id");

const commands = {
  reply: (i) => i.respond("reply"),
  async defer(i) {
    await i.defer();
    await i.edit("deferred");
    await i.respond({ content: "follow-up", flags: MessageFlags.Ephemeral });
  },
  buttons: (i) => i.respond({ content: "buttons", embeds: [{ title: "embed" }], components: camel(shared.buttons) }),
  menus: (i) => i.respond({ content: "menus", components: camel(shared.menus) }),
  layout: (i) => i.respond({
    flags: 1 << 15, components: camel(shared.layout), files: [file(shared.pixel, "pixel.png"), file(shared.note, "note.txt")],
  }),
  modal: (i) => i.respond(camel(shared.modals.modal)),
  labels: (i) => i.respond(camel(shared.modals.labels)),
  choices: (i) => i.respond(camel(shared.modals.choices)),
  activity: (i) => bot.helpers.sendInteractionResponse(i.id, i.token, { type: 12 }),
  suggest: (i) => i.respond(`suggest: ${i.data.options[0].value}`),
  async file(i) {
    const [attachment] = i.data.resolved.attachments.values();
    await i.respond({ content: "file", files: [file(await (await fetch(attachment.url)).arrayBuffer(), "copy.txt")] });
  },
  options: (i) => i.respond(shared.pairs("options", Object.fromEntries(i.data.options.map((o) => [o.name, o.value])))),
  async thread(i) {
    await i.respond("thread");
    const message = await bot.helpers.getOriginalInteractionResponse(i.token);
    const thread = await bot.helpers.startThreadWithMessage(message.channelId, message.id, { name: "talk" });
    await bot.helpers.sendMessage(thread.id, { content: "first" });
    await bot.helpers.sendMessage(thread.id, { content: "second" });
    const read = (await bot.helpers.getMessages(thread.id)).filter((m) => m.type === 0).map((m) => m.content).reverse();
    await i.edit(`thread: ${read.join(", ")}`);
  },
  async direct(i) {
    await i.respond({ content: "direct", flags: MessageFlags.Ephemeral });
    const channel = await bot.helpers.getDmChannel(i.user.id);
    await bot.helpers.sendMessage(channel.id, { content: "in private" });
  },
  async members(i) {
    const members = await bot.gateway.requestMembers(i.guildId, { query: "", limit: 0 });
    await i.respond(`members: ${members.filter((m) => !m.user.bot).map((m) => m.user.username).sort().join(",")}`);
  },
  async react(i) {
    await i.respond("react");
    const message = await bot.helpers.getOriginalInteractionResponse(i.token);
    await bot.helpers.addReaction(message.channelId, message.id, "👍");
  },
  Inspect: (i) => i.respond(`inspect: ${i.data.resolved.users.get(i.data.targetId).username}`),
  Quote: (i) => i.respond(`quote: ${i.data.resolved.messages.get(i.data.targetId).content}`),
};

const components = {
  update: (i) => i.edit({ content: "updated", components: [] }),
  async "defer-update"(i) {
    await i.deferEdit();
    await i.edit("edited later");
  },
  answer: (i) => i.respond("answered"),
  async later(i) {
    await i.defer();
    await i.edit("later");
  },
  press: (i) => i.edit({ components: shared.pressed }),
};

bot.events.interactionCreate = async (i) => {
  switch (i.type) {
    case InteractionTypes.ApplicationCommand:
      await commands[i.data.name](i);
      break;
    case InteractionTypes.ApplicationCommandAutocomplete: {
      const typed = i.data.options[0].value;
      await i.respond({ choices: [1, 2].map((n) => ({ name: `${typed}${n}`, value: `${typed}${n}` })) });
      break;
    }
    case InteractionTypes.MessageComponent:
      if (i.data.values) await i.respond(`${i.data.customId}: ${i.data.values.join(",")}`);
      else await components[i.data.customId](i);
      break;
    case InteractionTypes.ModalSubmit: {
      const values = {};
      for (const top of i.data.components) {
        for (const c of top.components ?? [top.component]) {
          values[c.customId] = c.value ?? c.values?.map((v) => i.data.resolved?.attachments?.get(BigInt(/^\d+$/.test(v) ? v : 0))?.filename ?? v).join(",");
        }
      }
      await i.respond(shared.pairs(i.data.customId, values));
    }
  }
};

bot.events.messageCreate = async (m) => {
  if (m.author.toggles?.bot || m.content !== "hello") return;
  await bot.helpers.sendMessage(m.channelId, { content: `hello ${m.author.username}`, messageReference: { messageId: m.id, failIfNotExists: true } });
};

bot.events.reactionAdd = async (r) => {
  if (r.userId !== bot.id) await bot.helpers.sendMessage(r.channelId, { content: `reaction: ${r.emoji.name} ${r.userId}` });
};

await bot.start();
await bot.helpers.upsertGlobalApplicationCommands(camel(shared.commands));
