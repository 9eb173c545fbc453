/** The four tools of a browser as the seed writes them down (A17.3). */
export const SEED_BROWSER_TOOLS = [
  {
    name: "navigate",
    description: "Navigate to a URL",
    inputSchema: {
      type: "object" as const,
      properties: { url: { type: "string", description: "The URL to navigate to" } },
      required: ["url"],
    },
  },
  {
    name: "screenshot",
    description: "Take a screenshot of the current page or an element",
    inputSchema: {
      type: "object" as const,
      properties: {
        name: { type: "string", description: "Name of the screenshot file" },
        fullPage: { type: "boolean", description: "Capture full scrollable page" },
        element: {
          type: "string",
          description:
            "Human-readable element description used to obtain permission to interact with the element",
        },
        ref: { type: "string", description: "Exact target element reference from the page snapshot" },
      },
      required: ["name"],
    },
  },
  {
    name: "click",
    description: "Perform click on a web page element",
    inputSchema: {
      type: "object" as const,
      properties: {
        element: { type: "string", description: "Human-readable element description" },
        ref: { type: "string", description: "Exact target element reference" },
      },
      required: ["element", "ref"],
    },
  },
  {
    name: "fill",
    description: "Fill a form field with text",
    inputSchema: {
      type: "object" as const,
      properties: {
        element: { type: "string", description: "Human-readable form field description" },
        ref: { type: "string", description: "Exact target element reference" },
        text: { type: "string", description: "Text to fill into the field" },
      },
      required: ["element", "ref", "text"],
    },
  },
];
