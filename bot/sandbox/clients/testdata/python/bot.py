"""A bot written with discord.py."""

import asyncio
import io
import os
import types

import discord
import yarl
from discord import app_commands

API, TOKEN = os.environ["SANDBOX_API"], os.environ["SANDBOX_TOKEN"]
TWO_SHARDS = os.environ.get("SANDBOX_SHARDS") == "2"
discord.http.Route.BASE = API + "/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(API.replace("http", "ws", 1).removesuffix("/api") + "/gateway")

intents = discord.Intents(
    guilds=True, members=True, guild_messages=True, guild_reactions=True, message_content=True, dm_messages=True,
)
Base = discord.AutoShardedClient if TWO_SHARDS else discord.Client


class Client(Base):
    async def setup_hook(self):
        await tree.sync()

    async def on_message(self, message):
        if not message.author.bot and message.content == "hello":
            await message.reply("hello " + message.author.name)

    async def on_raw_reaction_add(self, event):
        if event.user_id != self.user.id:
            await self.get_channel(event.channel_id).send(f"reaction: {event.emoji.name} {event.user_id}")


client = Client(
    intents=intents, shard_count=2 if TWO_SHARDS else None, chunk_guilds_at_startup=False,
    status=discord.Status.idle, activity=discord.Game("in the sandbox"),
)
tree = app_commands.CommandTree(client)


def command(function):
    return tree.command(name=function.__name__, description=function.__name__)(function)


async def say(interaction, text, **more):
    await interaction.response.send_message(text, **more)


async def later(interaction, text):
    await interaction.response.defer(thinking=True)
    await interaction.edit_original_response(content=text)


@command
async def reply(interaction: discord.Interaction):
    await say(interaction, "reply")


@command
async def defer(interaction: discord.Interaction):
    await later(interaction, "deferred")
    await interaction.followup.send("follow-up", ephemeral=True)


async def update(interaction):
    await interaction.response.edit_message(content="updated", view=None)


async def defer_update(interaction):
    await interaction.response.defer()
    await interaction.edit_original_response(content="edited later")


async def pressed_later(interaction):
    await later(interaction, "later")


async def answer(interaction):
    await say(interaction, "answered")


@command
async def buttons(interaction: discord.Interaction):
    view = discord.ui.View()
    styles = [discord.ButtonStyle.primary, discord.ButtonStyle.secondary, discord.ButtonStyle.success, discord.ButtonStyle.danger]
    callbacks = {"update": update, "defer-update": defer_update, "answer": answer, "later": pressed_later}
    for style, (name, callback) in zip(styles, callbacks.items()):
        button = discord.ui.Button(label=name, custom_id=name, style=style)
        button.callback = callback
        view.add_item(button)
    view.add_item(discord.ui.Button(label="link", url="https://example.org"))
    await say(interaction, "buttons", embed=discord.Embed(title="embed"), view=view)


@command
async def menus(interaction: discord.Interaction):
    view = discord.ui.View()
    options = [discord.SelectOption(label=v) for v in "abc"]
    for menu in (
        discord.ui.Select(custom_id="string", options=options, max_values=2), discord.ui.UserSelect(custom_id="user"),
        discord.ui.RoleSelect(custom_id="role"), discord.ui.MentionableSelect(custom_id="mentionable"), discord.ui.ChannelSelect(custom_id="channel"),
    ):
        async def selected(self, interaction):
            values = [str(getattr(v, "id", v)) for v in self.values]
            await say(interaction, f"{self.custom_id}: {','.join(values)}")

        menu.callback = types.MethodType(selected, menu)
        view.add_item(menu)
    await say(interaction, "menus", view=view)


class Modal(discord.ui.Modal, title="modal"):
    text = discord.ui.TextInput(label="text", custom_id="text")

    async def on_submit(self, interaction):
        await say(interaction, f"modal: text={self.text.value}")


@command
async def modal(interaction: discord.Interaction):
    await interaction.response.send_modal(Modal(custom_id="modal"))


@command
async def suggest(interaction: discord.Interaction, what: str):
    await say(interaction, "suggest: " + what)


@suggest.autocomplete("what")
async def suggestions(interaction: discord.Interaction, typed: str):
    return [app_commands.Choice(name=f"{typed}{n}", value=f"{typed}{n}") for n in (1, 2)]


@command
async def options(
    interaction: discord.Interaction, text: str = None, whole: int = None, number: float = None, yes: bool = None, user: discord.User = None,
    channel: discord.TextChannel = None, role: discord.Role = None, mentionable: discord.User | discord.Role = None,
):
    values = {
        "text": text, "whole": whole, "number": number, "yes": str(yes).lower(), "user": user.id, "channel": channel.id, "role": role.id,
        "mentionable": mentionable.id,
    }
    await say(interaction, "options: " + ";".join(f"{k}={v}" for k, v in values.items()))


@command
async def file(interaction: discord.Interaction, file: discord.Attachment):
    await say(interaction, "file", file=discord.File(io.BytesIO(await file.read()), "copy.txt"))


@command
async def thread(interaction: discord.Interaction):
    await say(interaction, "thread")
    # The response of a callback lacks the guild, so the message is fetched.
    message = await interaction.channel.fetch_message((await interaction.original_response()).id)
    talk = await message.create_thread(name="talk")
    await talk.send("first")
    await talk.send("second")
    read = [m.content async for m in talk.history(oldest_first=True) if m.type == discord.MessageType.default]
    await interaction.edit_original_response(content="thread: " + ", ".join(read))


@command
async def direct(interaction: discord.Interaction):
    await say(interaction, "direct", ephemeral=True)
    await interaction.user.send("in private")


@command
async def members(interaction: discord.Interaction):
    found = await interaction.guild.chunk(cache=True)
    await say(interaction, "members: " + ",".join(sorted(m.name for m in found if not m.bot)))


@command
async def react(interaction: discord.Interaction):
    await say(interaction, "react")
    await (await interaction.original_response()).add_reaction("👍")


@tree.context_menu(name="Inspect")
async def inspect(interaction: discord.Interaction, user: discord.User):
    await say(interaction, "inspect: " + user.name)


@tree.context_menu(name="Quote")
async def quote(interaction: discord.Interaction, message: discord.Message):
    await say(interaction, "quote: " + message.content)


asyncio.run(client.start(TOKEN))
