// Types of skillhand for Node. The documents below are made from skillhand's JSON Schemas.

/** What every function takes. */
export interface Options {
  /** The folder to work in; this process's by default. */
  cwd?: string;
  /** Variables to set beside those of this process. */
  env?: Record<string, string>;
  /** Ends the program and what it started; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** The skillhand program. By default that of the platform's package, or else the one in PATH. */
  program?: string;
}

/** Options of ask. Those of a plain `claude` wrapper keep their usual names. */
export interface AskOptions extends Options {
  prompt: string;
  /** Write the transcript to this file. */
  outputFile?: string;
  maxTurns?: number;
  model?: string;
  allowedTools?: string[];
  /** The id of the session to continue. */
  continueSession?: string;
  /** Continue the folder's last session. */
  continueLast?: boolean;
  /** Milliseconds for the whole call, retries and waits included; 10 minutes by default. */
  timeout?: number;
  /** Milliseconds without any output; 2 minutes by default, 0 for no limit. */
  idleTimeout?: number;
  /** How often to ask again after failures that pass; 2 by default. */
  retries?: number;
  /** claude by default. */
  agent?: string;
  /** A skill to put before the prompt, and its arguments. */
  skill?: string;
  args?: string;
  /** Ask nothing if a command on the skill's page fails. */
  strict?: boolean;
  /** A JSON Schema for the answer, or the path of a file with one. */
  schema?: object | string;
  /** Ask for a report, the document SkillOutput. */
  report?: boolean;
  maxBudgetUsd?: number;
  /** Shown in the history. */
  label?: string;
  /** The Claude CLI's program. */
  claude?: string;
  /** Further arguments for the CLI, unchanged. */
  cliArguments?: string[];
}

export interface RunOptions extends Options {
  /** Milliseconds; 10 minutes by default. */
  timeout?: number;
}

export interface ParseOptions extends Options {
  /** Read reports in words too; true by default. */
  legacy?: boolean;
  strict?: boolean;
  /** For reports in words that state none; 0.5 by default. */
  defaultConfidence?: number;
}

export interface LoadOptions extends Options {
  /** One string as an agent passes it, or words. */
  args?: string | string[];
  session?: string;
  /** Further folders of skills. */
  root?: string | string[];
  pluginRoot?: string;
  dialect?: 'skillhand' | 'claude';
  full?: boolean;
  strict?: boolean;
  noExec?: boolean;
  /** Milliseconds for each command on the page. */
  timeout?: number;
}

export interface CheckOptions extends Options {
  as?: 'project' | 'user' | 'plugin';
  agents?: string[];
}

/** Asks Claude. The promise is rejected with a SkillhandError if there is no answer. */
export function ask(options: AskOptions): Promise<AskResult>;
export function ask(prompt: string, options?: Omit<AskOptions, 'prompt'>): Promise<AskResult>;
/** Asks, and yields what happens meanwhile; the last event is the AskResult. */
export function askEvents(options: AskOptions): AsyncGenerator<AskEvent, void, undefined>;
export function askEvents(prompt: string, options?: Omit<AskOptions, 'prompt'>): AsyncGenerator<AskEvent, void, undefined>;
/** Runs a skill's script and judges what it reports. A verdict that is not ok is a value too. */
export function run(skill: string, args?: string[], options?: RunOptions): Promise<RunResult>;
/** Reads a report out of what a script printed. */
export function parse(text: string, options?: ParseOptions): Promise<ParseResult>;
/** Renders a skill as the agent should read it. */
export function load(skill: string, options?: LoadOptions): Promise<Page>;
/** Finds what is wrong with skills; without paths, with those of this project. */
export function check(paths?: string | string[], options?: CheckOptions): Promise<CheckResult>;
/** Returns the path of the skillhand program: that of the platform's package, or else the one in PATH. */
export function program(platform?: string, arch?: string): string;

/** Why there is no answer. */
export class SkillhandError extends Error {
  readonly category: ErrorCategory;
  /** Finer than the category. */
  readonly kind: ErrorKind;
  /** Asking again may help. */
  readonly retryable: boolean;
  /** How long to wait before that, if it is known. */
  readonly retryAfterMs: number | null;
  /** The program's; null if it was not started. */
  readonly exitCode: number | null;
  /** What the program printed, if it did. */
  readonly document: AskDocument | null;
}

export type AskResult = AskDocument;
export type AskEvent = AskEventsDocument;
export type RunResult = RunDocument;
export type ParseResult = ParseDocument;
export type Page = LoadDocument;
export type CheckResult = CheckDocument;
export type SkillOutput = SkillOutputDocument;
export type ErrorCategory = Exclude<AskDocumentCategory, ''>;
export type ErrorKind = Exclude<AskDocumentKind, ''> | 'missing';
