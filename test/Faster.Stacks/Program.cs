using System.Globalization;
using Faster.Stacks;
using Microsoft.Diagnostics.Runtime;

if (args.Length != 1 || !int.TryParse(args[0], CultureInfo.InvariantCulture, out int processId))
{
    Console.Error.WriteLine("Usage: Faster.Stacks <process id>");
    return 2;
}

// Written when the process runs again: it may be the one that reads, and a pipe takes 64 KiB.
var report = new StringWriter(CultureInfo.InvariantCulture);
using (DataTarget target = DataTarget.AttachToProcess(processId, suspend: true))
using (ClrRuntime runtime = target.ClrVersions[0].CreateRuntime())
{
    StackReport.WriteWaitingMethods(runtime, report); // first, for reports are cut
    StackReport.WriteThreads(runtime, report);
}

Console.Out.Write(report);
return 0;
