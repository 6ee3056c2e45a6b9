// import … from "wasmill-as"
export * from "./assembly/index";
