using System.Reflection;

namespace Faster.Tests.House;

/// <summary>Type names as C# writes them, without namespaces.</summary>
internal static class TypeNames
{
    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void", [typeof(bool)] = "bool", [typeof(byte)] = "byte", [typeof(sbyte)] = "sbyte",
        [typeof(short)] = "short", [typeof(ushort)] = "ushort", [typeof(int)] = "int", [typeof(uint)] = "uint",
        [typeof(long)] = "long", [typeof(ulong)] = "ulong", [typeof(nint)] = "nint", [typeof(nuint)] = "nuint",
        [typeof(float)] = "float", [typeof(double)] = "double", [typeof(char)] = "char", [typeof(string)] = "string",
        [typeof(object)] = "object", [typeof(decimal)] = "decimal",
    };

    /// <summary>A parameter's type, with how it is passed.</summary>
    public static string Of(ParameterInfo parameter)
    {
        if (!parameter.ParameterType.IsByRef) return Of(parameter.ParameterType);
        string how = parameter switch { { IsOut: true } => "out ", { IsIn: true } => "in ", _ => "ref " };
        return how + Of(parameter.ParameterType.GetElementType()!);
    }

    /// <summary>A type's name, preceded by the types in which it is nested.</summary>
    public static string Of(Type type)
    {
        if (Keywords.TryGetValue(type, out string? keyword)) return keyword;
        if (type.IsByRef) return "ref " + Of(type.GetElementType()!);
        if (type.IsPointer) return Of(type.GetElementType()!) + "*";
        if (type.IsArray) return Of(type.GetElementType()!) + "[]";
        if (type.IsGenericParameter) return type.Name;
        if (Nullable.GetUnderlyingType(type) is { } inner) return Of(inner) + "?";
        string outer = type.DeclaringType is { } declaring ? Of(declaring) + "." : "";
        string[] parts = type.Name.Split('`');
        if (parts.Length == 1) return outer + type.Name;
        int own = int.Parse(parts[1], System.Globalization.CultureInfo.InvariantCulture);
        return $"{outer}{parts[0]}<{string.Join(", ", type.GetGenericArguments()[^own..].Select(Of))}>";
    }
}
