/**
 * Imported early: keeps the heap near what is in use. Left alone, V8 lets a server that answers many searches grow by half, and one
 * such process runs for every client of every window.
 */
import { setFlagsFromString } from 'node:v8';

// An editor's Electron may have its flags frozen, where setting one ends the process.
if (!('electron' in process.versions)) {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
