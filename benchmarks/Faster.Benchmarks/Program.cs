using BenchmarkDotNet.Running;
using Faster.Benchmarks.Micro;

BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, MicroConfig.Create());
