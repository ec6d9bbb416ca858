using Faster.Ycsb.Commands;

return await DriverCommand.RunAsync(args);
