using BenchmarkDotNet.Running;
using Faster.Benchmarks.Micro;
using Faster.Benchmarks.Scopes;

if (args is ["scopes"]) ScopeCosts.Print();
else if (args is ["hits", "direct" or "hosted"]) HostedHits.Print(isHosted: args[1] == "hosted");
else BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, MicroConfig.Create());
