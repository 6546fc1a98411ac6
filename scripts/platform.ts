/** The name under which the marketplace knows this machine's kind, such as `linux-x64`. */
export function packageTarget(): string {
  const { platform, arch } = process;
  return `${platform === 'linux' && usesMusl() ? 'alpine' : platform}-${arch === 'arm' ? 'armhf' : arch}`;
}

function usesMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
