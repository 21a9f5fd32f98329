import type { CommandSpec } from '../program/spec.js';

const PROCESS_NAMES = [
  'server',
  'gateway',
  'api',
  'webhook-worker',
  'push-planner',
  'push-dispatch',
  'push-feedback',
  'history-writer',
  'mcp-gateway',
] as const;

const PROCESS = {
  flags: '--process <NAME>',
  about: 'the process; default server',
  values: PROCESS_NAMES,
} as const;

export const SERVE: CommandSpec = {
  name: 'serve',
  about: 'Runs the all-in-one server in this process.',
  flags: [
    { flags: '--workers <N>', about: 'processes that share the main port; default 1' },
    { flags: '--migrate', about: 'create or upgrade the tables of the databases and exit' },
  ],
  examples: ['carillon serve', 'carillon serve --config /etc/carillon.toml --workers 4'],
  load: () => import('../commands/serve.js'),
};

export const CONFIG: CommandSpec = {
  name: 'config',
  about: 'Checks and prints the configuration of the service.',
  commands: [
    {
      name: 'check',
      about: 'Validates the configuration for a process.',
      arguments: [{ name: 'FILE', isOptional: true }],
      flags: [PROCESS],
      examples: ['carillon config check', 'carillon config check config/config.toml --process api'],
      load: () => import('../commands/config-check.js'),
    },
    {
      name: 'print',
      about: 'Prints the effective configuration as JSON, without secrets.',
      arguments: [{ name: 'FILE', isOptional: true }],
      flags: [PROCESS],
      examples: ['carillon config print', 'carillon config print config/config.toml'],
      load: () => import('../commands/config-print.js'),
    },
    {
      name: 'example',
      about: 'Prints a configuration file with every setting and its default.',
      examples: ['carillon config example > config/config.toml', 'carillon config example | less'],
      load: () => import('../commands/config-example.js'),
    },
    {
      name: 'schema',
      about: 'Prints the JSON Schema of the configuration file.',
      examples: ['carillon config schema > config.schema.json', 'carillon config schema | less'],
      load: () => import('../commands/config-schema.js'),
    },
  ],
};

export const DOCTOR: CommandSpec = {
  name: 'doctor',
  about: 'Checks the configuration and every dependency it names.',
  flags: [
    PROCESS,
    { flags: '--only <ID>', about: 'run only this check', repeats: true },
    { flags: '--strict', about: 'treat warnings as errors' },
  ],
  examples: ['carillon doctor', 'carillon doctor --config config/config.toml --only redis.reach --json'],
  load: () => import('../commands/doctor.js'),
};

export const COMPLETION: CommandSpec = {
  name: 'completion',
  about: 'Prints the completion script of a shell.',
  arguments: [{ name: 'SHELL', values: ['bash', 'zsh', 'fish'] }],
  examples: [
    'source <(carillon completion bash)',
    'carillon completion fish > ~/.config/fish/completions/carillon.fish',
  ],
  load: () => import('../commands/completion.js'),
};

export const VERSION: CommandSpec = {
  name: 'version',
  about: 'Prints the version; with --url, also that of the service.',
  examples: ['carillon version', 'carillon version --json'],
  load: () => import('../commands/version.js'),
};

export const HELP: CommandSpec = {
  name: 'help',
  about: 'Prints the help of a command.',
  arguments: [{ name: 'COMMAND', isOptional: true, repeats: true }],
  examples: ['carillon help', 'carillon help token mint'],
  load: () => import('../commands/help.js'),
};
