using System.Globalization;
using Faster.Stacks;
using Microsoft.Diagnostics.Runtime;

if (args.Length != 1 || !int.TryParse(args[0], CultureInfo.InvariantCulture, out int processId))
{
    Console.Error.WriteLine("Usage: Faster.Stacks <process id>");
    return 2;
}

using DataTarget target = DataTarget.AttachToProcess(processId, suspend: true);
using ClrRuntime runtime = target.ClrVersions[0].CreateRuntime();
StackReport.WriteWaitingMethods(runtime, Console.Out); // first, for reports are cut
StackReport.WriteThreads(runtime, Console.Out);
return 0;
