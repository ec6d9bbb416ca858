using Faster.DurableTask.Tests.Restarts;

// A process that runs transfers until it is killed: RestartTests start this assembly as a program.
return args is ["bank", string folder, string transfers] ? await BankProcess.RunAsync(folder, transfers) : 2;
