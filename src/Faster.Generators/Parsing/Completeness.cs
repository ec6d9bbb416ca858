using Faster.Generators.Models;

namespace Faster.Generators.Parsing;

/// <summary>Finds missing functions that have no evident default.</summary>
internal static class Completeness
{
    /// <summary>Returns the missing kinds, each with the reason why it cannot be omitted.</summary>
    public static IEnumerable<(FunctionKind Missing, string Why)> Missing(StoreModel store)
    {
        FunctionModel? initial = store[FunctionKind.InitialUpdater];
        FunctionModel? inPlace = store[FunctionKind.InPlaceUpdater];
        FunctionModel? copy = store[FunctionKind.CopyUpdater];
        if (initial is not null && inPlace is null && copy is null)
        {
            yield return (FunctionKind.InPlaceUpdater,
                "an InitialUpdater only makes the first value, and no function updates an existing one");
        }

        if (store.Merger is not null && !store.HasRmw)
        {
            yield return (FunctionKind.InPlaceUpdater,
                "a Merger merges the deltas of read-modify-writes, and no function updates a value");
        }

        bool canStandIn = inPlace is { ReturnsBool: false, IsRaw: false };
        if (inPlace is not null && copy is null && !canStandIn)
        {
            yield return (FunctionKind.CopyUpdater,
                "the InPlaceUpdater may find that a value does not fit, so a CopyUpdater must make the larger copy");
        }

        if (initial is null && (inPlace ?? copy) is not null)
        {
            // A decoded object starts as null, which updaters do not expect; a string starts empty.
            bool canBegin = !(store.Value is { Kind: DataKind.Serialized, IsReference: true });
            bool fromCopy = copy is not null && (canBegin || copy.IsRaw);
            if (!fromCopy && !(canStandIn && canBegin) && (copy is not null || canStandIn))
            {
                yield return (FunctionKind.InitialUpdater,
                    "values are objects, and no function makes a key's first one");
            }
        }
    }
}
