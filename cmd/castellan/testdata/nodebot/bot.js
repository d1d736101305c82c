// A small bot written with discord.js. It knows three things from the
// environment: where the API is, its token, and nothing of who is behind it.
import { AttachmentBuilder, Client, Events, GatewayIntentBits, LabelBuilder, ModalBuilder, TextInputBuilder, TextInputStyle } from "discord.js";

const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: process.env.BOT_API } });

// The smallest PNG: one pixel.
const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

const commands = {
  async picture(interaction) {
    await interaction.deferReply();
    await interaction.editReply({ content: "A picture", files: [new AttachmentBuilder(pixel, { name: "pixel.png", description: "One pixel" })] });
  },
  async ask(interaction) {
    const input = new TextInputBuilder().setCustomId("name").setStyle(TextInputStyle.Short).setMinLength(2);
    await interaction.showModal(new ModalBuilder().setCustomId("who").setTitle("Who are you?")
      .addLabelComponents(new LabelBuilder().setLabel("Your name").setTextInputComponent(input)));
  },
  async talk(interaction) {
    const { resource } = await interaction.reply({ content: "Let us talk", withResponse: true });
    const thread = await resource.message.startThread({ name: "A talk" });
    await thread.send("first");
    await thread.send("second");
    const read = [...(await thread.messages.fetch()).values()].filter((m) => !m.system).map((m) => m.content).reverse();
    await interaction.editReply(`In ${thread.name} I read ${read.join(" and ")}`);
  },
};

client.on(Events.InteractionCreate, async (interaction) => {
  try {
    if (interaction.isChatInputCommand()) await commands[interaction.commandName](interaction);
    else if (interaction.isModalSubmit()) await interaction.reply({ content: `Good day, ${interaction.fields.getTextInputValue("name")}` });
  } catch (err) {
    console.error(err);
  }
});

client.once(Events.ClientReady, async () => {
  await client.application.commands.set(Object.keys(commands).map((name) => ({ name, description: `To ${name}` })));
  console.log("ready");
});

client.login(process.env.BOT_TOKEN);
