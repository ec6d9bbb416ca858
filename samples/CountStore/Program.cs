using CountStore.Commands;

return await CountCommand.RunAsync(args, Terminal.OfProcess);
