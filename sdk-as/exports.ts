// export * from "wasmill-as/exports"
export * from "./assembly/exports";
