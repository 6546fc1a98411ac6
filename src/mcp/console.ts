/**
 * Imported before everything else: stdout carries protocol messages and nothing more, so what any library prints goes to stderr.
 */
import { Console } from 'node:console';

globalThis.console = new Console(process.stderr, process.stderr);
