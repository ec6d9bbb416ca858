using CountStore.Commands;

return await CountCommand.RunAsync(args, new Terminal(Console.Out, Console.Error, !Console.IsErrorRedirected));
