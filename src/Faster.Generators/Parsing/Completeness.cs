using Faster.Generators.Models;

namespace Faster.Generators.Parsing;

/// <summary>Says which function is missing that has no evident default.</summary>
internal static class Completeness
{
    /// <summary>The missing kinds, each with why it can't be left out.</summary>
    public static IEnumerable<(FunctionKind Missing, string Why)> Missing(StoreModel store)
    {
        FunctionModel? initial = store[FunctionKind.InitialUpdater];
        FunctionModel? inPlace = store[FunctionKind.InPlaceUpdater];
        FunctionModel? copy = store[FunctionKind.CopyUpdater];
        if (initial is not null && inPlace is null && copy is null)
        {
            yield return (FunctionKind.InPlaceUpdater,
                "an InitialUpdater makes the first value only, and nothing says how a value is updated");
        }

        if (store.Merger is not null && !store.HasRmw)
        {
            yield return (FunctionKind.InPlaceUpdater,
                "a Merger joins partial values that read-modify-writes begin, and nothing says how a value is updated");
        }

        bool canStandIn = inPlace is { ReturnsBool: false, IsRaw: false };
        if (inPlace is not null && copy is null && !canStandIn)
        {
            yield return (FunctionKind.CopyUpdater,
                "the InPlaceUpdater may find that a value does not fit, so something must make the larger copy");
        }

        if (initial is null && (inPlace ?? copy) is not null)
        {
            // A decoded object begins as null, which updaters do not expect; a string begins empty.
            bool canBegin = !(store.Value is { Kind: DataKind.Serialized, IsReference: true });
            bool fromCopy = copy is not null && (canBegin || copy.IsRaw);
            if (!fromCopy && !(canStandIn && canBegin) && (copy is not null || canStandIn))
            {
                yield return (FunctionKind.InitialUpdater,
                    "values are objects, and nothing says what a key's first one is");
            }
        }
    }
}
