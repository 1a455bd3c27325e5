// Search where the site is opened as files, without a server: browsers then refuse to fetch the index and to start workers.
// The index comes as a script, and the worker runs in a hidden frame.
if (location.protocol === "file:") {
  const base = new URL("..", document.currentScript.src);

  window.__search = {
    index: new Promise((resolve) => {
      window.__search_index = resolve;
      const script = document.createElement("script");
      script.src = new URL("search/search_index.js", base);
      document.head.append(script);
    }),
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script>
          postMessage = (data) => parent.dispatchEvent(new MessageEvent("__search_result", { data }));
        </script><script src="${new URL(url, location)}"></script>`;
      this.ready = new Promise((resolve) => frame.addEventListener("load", () => resolve(frame.contentWindow)));
      window.addEventListener("__search_result", (event) => this.dispatchEvent(new MessageEvent("message", { data: event.data })));
      document.body.append(frame);
    }
    postMessage(data) {
      this.ready.then((frame) => frame.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
