import { type Subcommand, withSubcommands } from "../command.ts";
import { UsageError } from "../exit-codes.ts";
import { flag } from "../option.ts";

const yes = flag({ name: "yes", summary: "of install, enable and update: agree to what the plug-ins run" });

const load = () => import("../plugins/plugin-actions.ts");

const enable: Subcommand = {
  takes: "NAME",
  options: [yes],
  run: async ([id = ""], args, { io }) => (await load()).enablePlugin(id, args.value(yes), io),
};

/** `troupe plugin`: plug-ins of marketplaces. */
export const pluginCommand = withSubcommands({
  name: "plugin",
  summary: "add marketplaces; install, list, update, enable, disable and remove plug-ins",
  details: [
    "NAME is PLUGIN@MARKETPLACE. Before a plug-in is enabled, you are shown what it runs and asked.",
    "marketplace add takes a directory, a git URL or OWNER/REPOSITORY on GitHub, the last two with #BRANCH or #TAG if you want another one; marketplace remove takes a name.",
    "update takes a marketplace, a plug-in, or nothing for all. What has changed and runs something is shown, and is left out until you agree to it again.",
    "A project's settings can propose plug-ins: install agrees to one and gets it, disable switches it off for you.",
  ],
  options: [],
  subcommands: {
    marketplace: {
      takes: "ACTION WHERE",
      async run([action, where = ""], _, { io }) {
        const { addMarketplace, removeMarketplace } = await load();
        if (action === "add") return addMarketplace(where, io);
        if (action === "remove") return removeMarketplace(where, io);
        const other =
          action === "update" || action === "list" ? ` troupe plugin ${action} does the rest.` : "";
        throw new UsageError(
          `plugin marketplace has add and remove: troupe plugin marketplace add PATH|URL.${other}`,
        );
      },
    },
    install: enable,
    list: { run: async (_, __, { io }) => (await load()).listPlugins(io) },
    enable,
    update: {
      takes: "[NAME]",
      options: [yes],
      async run([name], args, { io }) {
        const { updatePlugins } = await import("../plugins/update-plugins.ts");
        return updatePlugins(name, args.value(yes), io);
      },
    },
    disable: {
      takes: "NAME",
      run: async ([id = ""], _, { io }) => (await load()).disablePlugin(id, io),
    },
    remove: {
      takes: "NAME",
      run: async ([id = ""], _, { io }) => (await load()).disablePlugin(id, io, { removes: true }),
    },
  },
  examples: [
    ["troupe plugin marketplace add ./market", "its plug-ins can be installed"],
    ["troupe plugin install tools@market", "shows what it runs, asks, and enables it"],
    ["troupe plugin update market", "the marketplace and its installed plug-ins, as they are now"],
  ],
});
