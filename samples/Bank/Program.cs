using Bank.Commands;

return await BankCommand.RunAsync(args, Terminal.OfProcess);
