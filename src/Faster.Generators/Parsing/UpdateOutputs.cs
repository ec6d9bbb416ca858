using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// Checks the outputs of updaters: all of them have one or none has, because any of them may be the one whose value is
/// stored; and none has one where deltas are merged, because an update that appends a delta does not know the value.
/// </summary>
internal sealed class UpdateOutputs(IReadOnlyList<FunctionShape> shapes, Action<Diagnostic> report)
{
    public void Check()
    {
        FunctionShape[] updaters = [.. shapes.Where(static s => s.IsUpdater)];
        if (updaters.FirstOrDefault(static s => s.Output is not null) is not { } first) return;
        if (shapes.Any(static s => s.Kind == FunctionKind.Merger))
        {
            report(Diagnostic.Create(
                Descriptors.MergedOutput, KnownTypes.LocationOf(first.Output!), first.Method.Name,
                Signatures.Show(first.Output!)));
            return;
        }

        foreach (FunctionShape updater in updaters.Where(static s => s.Output is null))
        {
            report(Diagnostic.Create(
                Descriptors.MissingOutput, KnownTypes.LocationOf(updater.Method), updater.Method.Name, updater.Kind,
                Signatures.Show(first.Output!), first.Method.Name));
        }
    }
}
