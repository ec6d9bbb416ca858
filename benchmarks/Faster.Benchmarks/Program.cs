using System.CommandLine;
using BenchmarkDotNet.Running;
using Faster.Benchmarks;
using Faster.Benchmarks.Micro;
using Faster.Benchmarks.Table;

Command[] commands = [TableCommand.Create(), RunCommand.Create()];
if (args.Length > 0 && commands.Any(c => c.Name == args[0]))
{
    var root = new RootCommand("Benchmarks; without a command, BenchmarkDotNet's micro-benchmarks.");
    foreach (Command command in commands)
        root.Add(command);
    return await root.Parse(args).InvokeAsync();
}

BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, MicroConfig.Create());
return 0;
