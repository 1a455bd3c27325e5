import { defineConfig, type Plugin } from 'vite';

/** Puts scripts and styles into index.html, so that the page is one file. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('there is no index.html to put the parts into');
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') {
          const code = part.code
            .replaceAll('</script', '<\\/script')
            .replaceAll('<!--', '\\x3C!--');
          html = html.replace(
            /<script type="module"[^>]*><\/script>/,
            () => `<script type="module">${code}</script>`,
          );
        } else if (name.endsWith('.css'))
          html = html.replace(
            /<link rel="stylesheet"[^>]*>/,
            () => `<style>${part.source}</style>`,
          );
        else continue;
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 1e9,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});
