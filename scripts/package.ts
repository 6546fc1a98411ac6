import { createVSIX } from '@vscode/vsce';
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { build } from './build';
import { packageTarget } from './platform';
import { asMain, inProject, projectFolder } from './project';

const budgetMb = 12;

/** The extension package for this platform. */
export const packageFile = (): string => inProject('out', `stet-${packageTarget()}.vsix`);

/** The package as it was last made, for whoever wants to install it. */
export function madePackage(): string {
  if (existsSync(packageFile())) return packageFile();
  throw new Error(`${packageFile()} is not there yet. Run "npm run package" first.`);
}

/** Builds the extension and packs it, with its native part, into one file for this platform. */
export async function makePackage(): Promise<string> {
  await build({ dev: false });
  await mkdir(inProject('out'), { recursive: true });
  await createVSIX({
    cwd: projectFolder,
    packagePath: packageFile(),
    target: packageTarget(),
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  const sizeMb = (await stat(packageFile())).size / 1024 / 1024;
  if (sizeMb > budgetMb)
    throw new Error(`The package has ${sizeMb.toFixed(1)} MB; at most ${budgetMb} are allowed. See what .vscodeignore lets in.`);
  console.log(`${packageFile()} (${sizeMb.toFixed(1)} MB)`);
  return packageFile();
}

asMain(import.meta.url, async () => {
  await makePackage();
});
