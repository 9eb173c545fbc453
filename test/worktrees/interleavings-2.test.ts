import { interleavingsPart } from "./interleavings-part.ts";

interleavingsPart(2);
