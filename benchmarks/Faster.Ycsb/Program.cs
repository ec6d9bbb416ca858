using Faster.Ycsb.Commands;

return await DriverCommand.Create().Parse(args).InvokeAsync();
