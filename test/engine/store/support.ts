/** A bare store without an engine around it, other programs that have it open, and a look at its bytes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../src/engine/ports';
import { Database, type Statements } from '../../../src/engine/store/database';
import { inspect, migrate, type Step } from '../../../src/engine/store/migrate';
import { memorySchema } from '../../../src/engine/store/migrations/0001-memory';
import { systemIds } from '../../../src/engine/system';

/** The schema that these tests stand on, whatever a later Stet adds to it. */
export const firstSchema: readonly Step[] = [memorySchema];

export interface Room {
  readonly folder: string;
  readonly file: string;
  readonly clock: Clock & { set(iso: string): void };
  /** Opens the store and brings it to these steps. */
  open(steps?: readonly Step[]): Promise<Database>;
  /** Opens it as it is. */
  openBare(): Promise<Database>;
  /** Another process that runs statements on the store, and keeps what it has begun until it is ended. */
  otherProgram(sql: string): Promise<OtherProgram>;
  /** The names of the files, anywhere below the folder, whose bytes hold the text. */
  filesWith(text: string): string[];
  leave(): Promise<void>;
}

export interface OtherProgram {
  /** Runs more statements. */
  run(sql: string): Promise<void>;
  /** Closes the file and ends. */
  end(): Promise<void>;
  /** Ends without closing anything. */
  kill(): Promise<void>;
}

/** @param file where the store lies; in a fresh folder when it is not said. */
export function aRoom(file = join(mkdtempSync(join(tmpdir(), 'stet-store-')), 'memory.db')): Room {
  const folder = dirname(file);
  const opened: Database[] = [];
  const programs: OtherProgram[] = [];
  let now = new Date('2026-03-01T12:00:00Z');
  const clock = {
    now: () => now,
    set: (iso: string) => {
      now = new Date(iso);
    },
  };
  return {
    folder,
    file,
    clock,
    open: async (steps = firstSchema) => {
      const database = await Database.open(file, (read) => inspect(read, steps));
      opened.push(database);
      await migrate(database, '/of/a/test', clock, systemIds, steps);
      return database;
    },
    openBare: async () => {
      const database = await Database.open(file, () => Promise.resolve());
      opened.push(database);
      return database;
    },
    otherProgram: async (sql) => {
      const program = await startProgram(file, sql);
      programs.push(program);
      return program;
    },
    filesWith: (text) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text))
        .sort(),
    leave: async () => {
      for (const program of programs) await program.kill();
      for (const database of opened) await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The plain driver in a process of its own, with none of Stet's settings. */
const programSource = `
const { createInterface } = require('node:readline');
const sqlite = require('@vscode/sqlite3');
const database = new sqlite.Database(process.argv[1]);
const run = (sql) => database.exec(sql, (error) => console.log(error ? 'failed: ' + error.message : 'done'));
createInterface({ input: process.stdin })
  .on('line', (line) => run(JSON.parse(line)))
  .on('close', () => database.close(() => process.exit()));
`;

async function startProgram(file: string, sql: string): Promise<OtherProgram> {
  const child = spawn(process.execPath, ['-e', programSource, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<unknown>((resolve) => child.once('exit', resolve));
  const run = async (text: string) => {
    const answer = new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
    child.stdin.write(`${JSON.stringify(text)}\n`);
    const answered = String(await answer).trim();
    if (answered !== 'done') throw new Error(answered);
  };
  await run(sql);
  return {
    run,
    end: async () => {
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

let count = 0;

/** A memory with an event, a reason and a place in the index of what is served; all of them carry the text. */
export async function remember(tx: Statements, text: string): Promise<void> {
  count += 1;
  const { rowid } = await tx.run(
    `INSERT INTO memories (id, scope, kind, recorded_at, salt, value_key, origin, surface, stated_at, tags, replaces, title, alternatives,
       steps, statement)
     VALUES (?, 'workspace', 'decision', '2026-03-01', 's', 'k', 'stated', 'test', '2026-03-01', '[]', '[]', 'A title', '[]', '[]', ?)`,
    `memory ${count}`,
    `Statement ${count}`,
  );
  const event = await tx.run('INSERT INTO events (hash, body, memory) VALUES (?, ?, ?)', `hash ${count}`, '{}', `memory ${count}`);
  await tx.run('INSERT INTO reasons (event, text) VALUES (?, ?)', event.rowid, text);
  await tx.run('INSERT INTO served_index (rowid, title, body) VALUES (?, ?, ?)', rowid, 'A title', text);
}

/** Overwrites the texts of {@link remember} that are like this one. */
export async function erase(tx: Statements, text: string): Promise<void> {
  await tx.run(`UPDATE reasons SET text = '' WHERE text = ?`, text);
  await tx.run('DELETE FROM served_index WHERE body = ?', text);
}

export const countOf = async (database: Pick<Database, 'read'>, table: string): Promise<number> =>
  Number((await database.read.get(`SELECT count(*) AS n FROM ${table}`))?.['n']);

/** 32 characters that are one word to an index, and nowhere else. */
export const aCanary = (): string => crypto.randomUUID().replaceAll('-', '');

/** Waits for what happens by itself soon. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The bytes and times of the store's files, those that are not there included. */
export const stateOf = (file: string): unknown =>
  ['', '-wal', '-journal'].map((ending) =>
    existsSync(file + ending) ? [readFileSync(file + ending).toString('base64'), statSync(file + ending).mtimeMs] : 'absent',
  );
