using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes calls of user functions.</summary>
internal static class Calls
{
    /// <summary>Returns a call with the arguments that the function's parameters need, by role.</summary>
    /// <param name="store">The store that the function belongs to.</param>
    /// <param name="function">The function to call.</param>
    /// <param name="arguments">The arguments by role; null for a role that the function does not have.</param>
    public static string Of(
        StoreModel store, FunctionModel function, params (Role Role, string? Argument)[] arguments)
    {
        IEnumerable<string> written = function.Parameters.Select(p =>
        {
            string argument = arguments.First(a => a.Role == p.Role).Argument!;
            return p.Passing switch
            {
                Passing.Ref => "ref " + argument,
                Passing.Out => "out " + argument,
                _ => argument,
            };
        });
        string called = function.IsOverloaded ? $"Parts.{function.Kind}" : $"{store.FullName}.{function.Name}";
        return $"{called}({string.Join(", ", written)})";
    }

    /// <summary>Adds the null-forgiving operator if the user's annotation may differ.</summary>
    public static string Forgiving(string argument, bool isReference) => isReference ? argument + "!" : argument;
}
